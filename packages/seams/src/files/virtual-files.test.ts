import fc from "fast-check"
import { expect, test } from "vitest"
import { VirtualClock } from "../clock/virtual-clock.ts"
import { PilothouseError } from "../errors/errors.ts"
import { filesContract } from "./files.contract.ts"
import { type Files, readText } from "./files.ts"
import { virtualFiles } from "./virtual-files.ts"

filesContract("virtual", () => ({ files: virtualFiles(new VirtualClock()), root: "/data" }))

test("the time of change is the clock's", async () => {
  const clock = new VirtualClock()
  const files = virtualFiles(clock)
  await clock.advance("1h")
  files.write("/a", "x")
  expect(files.facts("/a")?.modified).toBe(clock.now())
})

test.each([
  ["/a//b/", "/a/b"],
  ["/a/./b", "/a/b"],
  ["/a/x/../b", "/a/b"],
])("%s is %s", (given, plain) => {
  const files = virtualFiles(new VirtualClock())
  files.write(given, "x")
  expect([readText(files, plain), files.list("/"), files.list("/a")]).toEqual(["x", ["a"], ["b"]])
})

test.each(["", "a", "./a"])("the relative path %j is refused", (path) => {
  const message = `expected an absolute path, found ${JSON.stringify(path)}`
  expect(() => virtualFiles(new VirtualClock()).read(path)).toThrow(expect.objectContaining({ code: "FILE", message }))
})

/** The plainest file system: a nested record, where text is a file and a record a directory. */
interface Directory {
  [name: string]: string | Directory
}

type Action = { readonly do: "write" | "remove" | "makeDirectory"; readonly path: readonly string[]; readonly text: string }

const path = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 3 })
const action: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom("write", "write", "remove", "makeDirectory"),
  path,
  text: fc.string({ maxLength: 3 }),
})

test("files in memory are what a nested record is", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const files = virtualFiles(new VirtualClock())
      const root: Directory = {}
      for (const step of actions) {
        const refused = !playOnModel(root, step)
        expect(playOnFiles(files, step)).toBe(refused ? "FILE" : undefined)
        expect(snapshot(files, "")).toEqual(root)
      }
    }),
  )
})

function playOnFiles(files: Files, step: Action): string | undefined {
  const at = `/${step.path.join("/")}`
  try {
    if (step.do === "write") files.write(at, step.text)
    else files[step.do](at)
    return undefined
  } catch (error) {
    return error instanceof PilothouseError ? error.code : String(error)
  }
}

/** False when the step must be refused. */
function playOnModel(root: Directory, step: Action): boolean {
  const above = step.path.slice(0, -1)
  const last = step.path.at(-1)!
  const all = [...above, ...(step.do === "makeDirectory" ? [last] : [])]
  const wayIsFree = all.every((_, index) => typeof look(root, all.slice(0, index + 1)) !== "string")
  if (step.do === "remove") {
    const parent = look(root, above)
    if (typeof parent === "object") delete parent[last]
    return true
  }
  if (!wayIsFree || (step.do === "write" && typeof look(root, step.path) === "object")) return false
  let directory = root
  for (const name of all) directory = (directory[name] ??= {}) as Directory
  if (step.do === "write") directory[last] = step.text
  return true
}

function look(root: Directory, names: readonly string[]): string | Directory | undefined {
  return names.reduce<string | Directory | undefined>((at, name) => (typeof at === "object" ? at[name] : undefined), root)
}

function snapshot(files: Files, at: string): Directory {
  const entry = (name: string) => {
    const below = `${at}/${name}`
    return files.facts(below)?.directory ? snapshot(files, below) : readText(files, below)!
  }
  return Object.fromEntries(files.list(at === "" ? "/" : at).map((name) => [name, entry(name)]))
}
