import { describe, expect, test } from "vitest"
import { type Files, readText } from "./files.ts"

/** An implementation of Files, and an empty place for it to write. */
export interface FilesUnderTest {
  readonly files: Files
  /** An absolute path under which nothing is. */
  readonly root: string
}

/** What every Files promises. */
export function filesContract(name: string, make: () => FilesUnderTest): void {
  describe(`the files contract: ${name}`, () => {
    absenceRows(make)
    writeRows(make)
    directoryRows(make)
    refusalRows(make)
  })
}

function absenceRows(make: () => FilesUnderTest): void {
  test("absent is an answer", () => {
    const { files, root } = make()
    expect(files.read(`${root}/none`)).toBeUndefined()
    expect(readText(files, `${root}/none`)).toBeUndefined()
    expect(files.facts(`${root}/none`)).toBeUndefined()
    expect(files.list(`${root}/none`)).toEqual([])
    files.remove(`${root}/none`)
  })

  test("below a file there is nothing", () => {
    const { files, root } = make()
    files.write(`${root}/file`, "x")
    expect(files.read(`${root}/file/below`)).toBeUndefined()
    expect(files.facts(`${root}/file/below`)).toBeUndefined()
    files.remove(`${root}/file/below`)
    expect(readText(files, `${root}/file`)).toBe("x")
  })
}

function writeRows(make: () => FilesUnderTest): void {
  test("what was written is read, text and bytes, and the directories above are made", () => {
    const { files, root } = make()
    files.write(`${root}/a/b/text`, "grüße")
    files.write(`${root}/a/b/bytes`, Uint8Array.of(0, 255, 10))
    files.write(`${root}/empty`, "")
    expect(readText(files, `${root}/a/b/text`)).toBe("grüße")
    expect([...files.read(`${root}/a/b/bytes`)!]).toEqual([0, 255, 10])
    expect(files.read(`${root}/empty`)).toHaveLength(0)
  })

  test("a second write takes the place of the first and keeps the file's mode", () => {
    const { files, root } = make()
    files.write(`${root}/key`, "first", { mode: 0o600 })
    files.write(`${root}/key`, "2nd", { mode: 0o644 })
    expect(readText(files, `${root}/key`)).toBe("2nd")
    expect(files.facts(`${root}/key`)).toMatchObject({ mode: 0o600, size: 3 })
  })

  test("a secret was left readable by others where a file was there before: what a given mode lacks is taken from it", () => {
    const { files, root } = make()
    for (const mode of [0o666, 0o640, 0o400]) {
      files.write(`${root}/key-${mode}`, "before", { mode })
      files.write(`${root}/key-${mode}`, "secret", { mode: 0o600, followLink: true })
    }
    expect([0o666, 0o640, 0o400].map((mode) => files.facts(`${root}/key-${mode}`)?.mode)).toEqual([0o600, 0o600, 0o400])
    files.write(`${root}/shared`, "before", { mode: 0o664 })
    files.write(`${root}/shared`, "after")
    expect(files.facts(`${root}/shared`)?.mode).toBe(0o664)
  })

  test.each([0o600, 0o666])("a new file has exactly the mode asked for, whatever the umask: %o", (mode) => {
    const { files, root } = make()
    files.write(`${root}/plain`, "x", { mode })
    files.write(`${root}/exclusive`, "x", { mode, exclusive: true })
    expect(files.facts(`${root}/plain`)?.mode).toBe(mode)
    expect(files.facts(`${root}/exclusive`)?.mode).toBe(mode)
  })

  test("an exclusive write refuses when there is a file, leaves it alone, and leaves nothing else behind", () => {
    const { files, root } = make()
    files.write(`${root}/lock`, "mine", { exclusive: true })
    expect(() => files.write(`${root}/lock`, "yours", { exclusive: true })).toThrow(expect.objectContaining({ code: "FILE" }))
    expect(readText(files, `${root}/lock`)).toBe("mine")
    expect(files.list(root)).toEqual(["lock"])
  })

  test("changing what was given or read does not change the file", () => {
    const { files, root } = make()
    const given = Uint8Array.of(1, 2)
    files.write(`${root}/file`, given)
    given[0] = 9
    files.read(`${root}/file`)![1] = 9
    expect([...files.read(`${root}/file`)!]).toEqual([1, 2])
  })
}

function directoryRows(make: () => FilesUnderTest): void {
  test("list names what is directly inside, sorted, and nothing temporary", () => {
    const { files, root } = make()
    for (const path of ["b", "a", "c/d"]) files.write(`${root}/${path}`, path)
    expect(files.list(root)).toEqual(["a", "b", "c"])
    expect(files.list(`${root}/c/`)).toEqual(["d"])
  })

  test("facts tell files from directories", () => {
    const { files, root } = make()
    files.write(`${root}/c/d`, "four")
    expect(files.facts(`${root}/c`)?.directory).toBe(true)
    expect(files.facts(`${root}/c/d`)).toMatchObject({ directory: false, size: 4, mode: 0o644 })
    expect(files.facts(`${root}/c/d`)?.modified).toBeGreaterThan(0)
  })

  test("remove takes a directory with all that is in it, and not its neighbour with a longer name", () => {
    const { files, root } = make()
    for (const path of ["c/d", "c/e/f", "cc"]) files.write(`${root}/${path}`, path)
    files.remove(`${root}/c`)
    expect(files.list(root)).toEqual(["cc"])
  })

  test("makeDirectory makes those above too, and does nothing when it is there", () => {
    const { files, root } = make()
    files.makeDirectory(`${root}/x/y`, 0o700)
    files.makeDirectory(`${root}/x/y`)
    expect(files.facts(`${root}/x/y`)).toMatchObject({ directory: true, mode: 0o700 })
    expect(files.list(`${root}/x/y`)).toEqual([])
  })

  test("rename takes a directory with all that is in it, to a free name or over an empty directory", () => {
    const { files, root } = make()
    for (const path of ["c/d", "c/e/f", "cc"]) files.write(`${root}/${path}`, path)
    files.makeDirectory(`${root}/empty`)
    files.rename(`${root}/c`, `${root}/moved`)
    expect(() => files.rename(`${root}/empty`, `${root}/moved`)).toThrow(expect.objectContaining({ code: "FILE" }))
    expect([files.list(root), files.list(`${root}/moved`)]).toEqual([
      ["cc", "empty", "moved"],
      ["d", "e"],
    ])
    files.rename(`${root}/moved`, `${root}/empty`)
    files.rename(`${root}/cc`, `${root}/empty/d`)
    expect([files.list(root), readText(files, `${root}/empty/d`), readText(files, `${root}/empty/e/f`)]).toEqual([["empty"], "cc", "c/e/f"])
  })

  test("realPath is the plain path of what is there, and undefined where nothing is", () => {
    const { files, root } = make()
    files.write(`${root}/a/b`, "x")
    const above = files.realPath(root)
    expect(files.realPath(`${root}//a/../a/./b`)).toBe(`${above}/a/b`)
    expect(files.realPath(`${root}/a/`)).toBe(`${above}/a`)
    expect(files.realPath(`${root}/none`)).toBeUndefined()
    expect(files.realPath(`${root}/a/b/below`)).toBeUndefined()
  })
}

function refusalRows(make: () => FilesUnderTest): void {
  const rows: Record<string, (files: Files, root: string) => void> = {
    "reading a directory": (files, root) => files.read(`${root}/directory`),
    "writing over a directory": (files, root) => files.write(`${root}/directory`, "x"),
    "an exclusive write over a directory": (files, root) => files.write(`${root}/directory`, "x", { exclusive: true }),
    "listing a file": (files, root) => files.list(`${root}/file`),
    "listing below a file": (files, root) => files.list(`${root}/file/below`),
    "writing below a file": (files, root) => files.write(`${root}/file/below`, "x"),
    "a directory where a file is": (files, root) => files.makeDirectory(`${root}/file`),
    "renaming what is not there": (files, root) => files.rename(`${root}/none`, `${root}/other`),
    "renaming a file over a directory": (files, root) => files.rename(`${root}/file`, `${root}/directory`),
    "renaming a directory over a file": (files, root) => files.rename(`${root}/directory`, `${root}/file`),
    "renaming a directory into itself": (files, root) => files.rename(`${root}/directory`, `${root}/directory/below`),
    "renaming to where no directory is": (files, root) => files.rename(`${root}/file`, `${root}/none/file`),
    "a directory below a file": (files, root) => files.makeDirectory(`${root}/file/below`),
  }
  test.each(Object.entries(rows))("%s is refused with FILE and the path, and nothing changes", (_, act) => {
    const { files, root } = make()
    files.write(`${root}/directory/inside`, "x")
    files.write(`${root}/file`, "x")
    expect(() => act(files, root)).toThrow(expect.objectContaining({ code: "FILE", message: expect.stringContaining(root) }))
    expect(files.list(root)).toEqual(["directory", "file"])
    expect(files.list(`${root}/directory`)).toEqual(["inside"])
  })
}
