import { PilothouseError, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { openDataDirectory } from "./data-directory.ts"

const path = "/home/me/.pilothouse"

function failure(action: () => unknown): PilothouseError {
  try {
    action()
  } catch (error) {
    if (error instanceof PilothouseError) return error
  }
  throw new Error("expected a PilothouseError")
}

test("a directory is made and locked, and free again afterwards", () => {
  const files = virtualFiles(new VirtualClock())
  const directory = openDataDirectory(files, path, 100, () => true)
  expect(files.list(path)).toEqual(["lock-100"])
  directory[Symbol.dispose]()
  expect(files.list(path)).toEqual([])
})

test("a directory that another process has is refused with its number", () => {
  const files = virtualFiles(new VirtualClock())
  openDataDirectory(files, path, 100, () => true)
  const error = failure(() => openDataDirectory(files, path, 200, (pid) => pid === 100))
  expect(error.code).toBe("DATA_DIRECTORY_LOCKED")
  expect(error.message).toBe(`the data directory ${path} is in use by process 100; stop it, or choose another with --data-dir`)
})

test("who comes second is told what the first has left word of, which is what one wants then", () => {
  const files = virtualFiles(new VirtualClock())
  openDataDirectory(files, path, 100, () => true).leaveWord(["It is up at https://127.0.0.1:6443:", "  export KUBECONFIG=/k"])
  const error = failure(() => openDataDirectory(files, path, 200, () => true))
  expect(error.message).toBe(
    `the data directory ${path} is in use by process 100; stop it, or choose another with --data-dir\nIt is up at https://127.0.0.1:6443:\n  export KUBECONFIG=/k`,
  )
})

test("the lock of a process that is gone is taken over", () => {
  const files = virtualFiles(new VirtualClock())
  openDataDirectory(files, path, 100, () => true)
  openDataDirectory(files, path, 200, () => false)
  expect(files.list(path)).toEqual(["lock-200"])
})

test("of two that come at the same moment at most one gets it, whichever looks first", () => {
  const files = virtualFiles(new VirtualClock())
  // The other has put its lock down and has not looked yet.
  files.write(`${path}/lock-200`, "200")
  expect(failure(() => openDataDirectory(files, path, 100, () => true)).code).toBe("DATA_DIRECTORY_LOCKED")
  expect(files.list(path)).toEqual(["lock-200"])
  openDataDirectory(files, path, 200, () => true)
})

test("whoever is refused leaves the lock of the other alone", () => {
  const files = virtualFiles(new VirtualClock())
  openDataDirectory(files, path, 100, () => true)
  failure(() => openDataDirectory(files, path, 200, () => true))
  expect(files.list(path)).toEqual(["lock-100"])
})

test("a file where the directory should be", () => {
  const files = virtualFiles(new VirtualClock())
  files.write(path, "not a directory")
  const error = failure(() => openDataDirectory(files, path, 100, () => true))
  expect(error.code).toBe("DATA_DIRECTORY")
  expect(error.message).toBe(`expected a directory at ${path}, found a file; remove it or choose another with --data-dir`)
})

test("a directory that cannot be written", () => {
  const files = virtualFiles(new VirtualClock())
  const readOnly = {
    ...files,
    write() {
      throw new PilothouseError("FILE", "could not write (EACCES)")
    },
  }
  const error = failure(() => openDataDirectory(readOnly, path, 100, () => true))
  expect(error.code).toBe("DATA_DIRECTORY")
  expect(error.message).toBe(`the data directory ${path} cannot be used: could not write (EACCES); choose another with --data-dir`)
})

test.each([
  ["somebody's files", ["README.md", "src/a.ts"], "README.md, src"],
  ["many of them", ["a", "b", "c", "d"], "a, b, c, …"],
])("%s are no data directory, and are left alone", (_what, names, shown) => {
  const files = virtualFiles(new VirtualClock())
  for (const name of names) files.write(`${path}/${name}`, "text")
  const before = files.list(path)
  const error = failure(() => openDataDirectory(files, path, 100, () => true))
  expect(error.code).toBe("DATA_DIRECTORY")
  expect(error.message).toBe(
    `expected ${path} to be empty or a data directory of Pilothouse, found ${shown}; nothing was changed; choose another with --data-dir`,
  )
  expect(files.list(path)).toEqual(before)
})

test.each(["lost+found/x", "pki/ca.crt", "storage/log-00000001", "run/ca.crt", "kubeconfig", "lock-7"])("one with %s is taken", (name) => {
  const files = virtualFiles(new VirtualClock())
  files.write(`${path}/${name}`, "text")
  files.write(`${path}/${name === "lost+found/x" ? name : "notes.txt"}`, "text")
  expect(openDataDirectory(files, path, 100, () => false).path).toBe(path)
})
