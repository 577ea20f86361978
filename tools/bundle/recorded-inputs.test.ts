import { statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { expect, test } from "vitest"
import { recordInputs } from "./recorded-inputs.ts"
import { SmallWorkspace } from "./small-workspace.ts"

const before = 5000

test("the sources, also those of which nothing is left, the manifests and what is installed", async () => {
  using workspace = new SmallWorkspace()
  const inputs = await bundled(workspace, () => {})
  expect(inputs.map(([path]) => path).sort()).toEqual([
    "node_modules/.package-lock.json",
    "packages/cli/package.json",
    "packages/cli/src/index.ts",
    "packages/cli/src/later.ts",
    "packages/cli/src/main.ts",
    "packages/cli/src/text.ts",
  ])
  for (const [path, size, time] of inputs) {
    const { size: found, mtimeMs } = statSync(join(workspace.root, path))
    expect([path, size, time]).toEqual([path, found, mtimeMs])
  }
})

test.each(["packages/cli/src/text.ts", "packages/cli/package.json", "node_modules/.package-lock.json"])(
  "%s is saved after it was read: the time is that of what was read",
  async (saved) => {
    using workspace = new SmallWorkspace()
    utimesSync(join(workspace.root, saved), before, before)
    const inputs = await bundled(workspace, () => workspace.write(saved, "other"))
    expect(inputs.find(([path]) => path === saved)?.[2]).toBe(before * 1000)
  },
)

/** A user edits a file when all that the main file names at once has been read. */
async function bundled({ root }: SmallWorkspace, edit: () => void) {
  const recorded = recordInputs(root)
  const editor = { name: "editor", transform: (_: string, id: string) => (id.endsWith("text.ts") ? edit() : undefined) }
  const bundle = await rolldown({ input: join(root, "packages/cli/src/main.ts"), plugins: [recorded.plugin, editor] })
  await bundle.generate({ format: "esm" })
  await bundle.close()
  return recorded.all()
}
