import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { findProgram } from "../../packages/cli/bin/find-program.js"
import { renewBundle } from "./renew-bundle.ts"
import { SmallWorkspace } from "./small-workspace.ts"

const text = "packages/cli/src/text.ts"
const nothing = async () => {}

test("what the launcher finds then says what the sources say", async () => {
  using workspace = new SmallWorkspace()
  expect(await renewed(workspace, async () => "ready")).toBe("ready")
  const { file, kind } = found(workspace)
  expect([kind, execFileSync(process.execPath, [file], { encoding: "utf8" })]).toEqual(["bundle", "old → text\n"])
})

test("users that may read the workspace may read it", async () => {
  using workspace = new SmallWorkspace()
  mkdirSync(workspace.bundles)
  chmodSync(workspace.bundles, 0o755)
  await renewed(workspace)
  expect(statSync(join(workspace.bundles, listed(workspace))).mode & 0o777).toBe(0o755)
})

test("until it is ready the sources run", async () => {
  using workspace = new SmallWorkspace()
  expect(await renewed(workspace, async () => found(workspace).kind)).toBe("sources")
})

test("a source that is saved while it is made ready: the sources run", async () => {
  using workspace = new SmallWorkspace()
  await renewed(workspace, async () => workspace.write(text, 'export const text = "other text, which is longer"'))
  expect(found(workspace).kind).toBe("sources")
})

test("a program that runs from the bundle before finds what it has not loaded yet", async () => {
  using workspace = new SmallWorkspace()
  await renewed(workspace)
  const old = found(workspace).file
  // Made long ago, and running since.
  utimesSync(dirname(old), 1, 1)
  const parts = readdirSync(join(dirname(old), "program"))
  workspace.write(text, 'export const text = "another text"')
  await renewed(workspace)
  expect(found(workspace).file).not.toBe(old)
  expect(parts).toHaveLength(2)
  expect(readdirSync(join(dirname(old), "program"))).toEqual(parts)
})

test("two runs at once do not meet, and what is listed is one of them", async () => {
  using workspace = new SmallWorkspace()
  const folders: string[] = []
  const both = Promise.withResolvers<void>()
  const wait = async (folder: string) => {
    if (folders.push(folder) === 2) both.resolve()
    await both.promise
  }
  await Promise.all([renewed(workspace, wait), renewed(workspace, wait)])
  expect(new Set(folders).size).toBe(2)
  for (const folder of folders) expect(readdirSync(join(folder, "program"))).toHaveLength(2)
  expect(folders).toContain(dirname(found(workspace).file))
})

test("what is older than a day and not listed goes, what is younger stays", async () => {
  using workspace = new SmallWorkspace()
  for (const name of ["bundle-old", "bundle-young"]) mkdirSync(join(workspace.bundles, name), { recursive: true })
  utimesSync(join(workspace.bundles, "bundle-old"), 1, 1)
  await renewed(workspace)
  expect(readdirSync(workspace.bundles).toSorted()).toEqual([listed(workspace), "bundle-young", "inputs.json"].toSorted())
})

test("one that cannot be made leaves the bundle before, and nothing of itself", async () => {
  using workspace = new SmallWorkspace()
  await renewed(workspace)
  const present = readdirSync(workspace.bundles)
  await expect(renewed(workspace, () => Promise.reject(new Error("it does not start")))).rejects.toThrow("it does not start")
  expect(readdirSync(workspace.bundles)).toEqual(present)
  expect(existsSync(found(workspace).file)).toBe(true)
  expect(found(workspace).kind).toBe("bundle")
})

function renewed<T = void>(
  { bundles, root }: SmallWorkspace,
  ready: (folder: string) => Promise<T | undefined> = nothing as () => Promise<T>,
): Promise<T | undefined> {
  return renewBundle(bundles, root, ready)
}

function found({ bundles, root }: SmallWorkspace) {
  return findProgram(bundles, root)
}

function listed({ bundles }: SmallWorkspace): string {
  return JSON.parse(readFileSync(join(bundles, "inputs.json"), "utf8")).bundle
}
