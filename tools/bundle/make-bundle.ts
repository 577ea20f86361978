import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { asAscii } from "./as-ascii.ts"
import { type Input, recordInputs } from "./recorded-inputs.ts"
import { sharedFiles } from "./shared-files.ts"

/** Writes the bundle: the command line with all packages it uses, those of others too. Returns what it was made of. */
export async function makeBundle(folder: string, root: string): Promise<readonly Input[]> {
  mkdirSync(join(folder, "program"), { recursive: true })
  const inputs = recordInputs(root)
  const bundle = await rolldown({
    input: { main: join(root, "packages/cli/src/main.ts") },
    platform: "node",
    resolve: { conditionNames: ["@pilothouse/source", "node", "import", "default"] },
    external: [/^node:/],
    plugins: [inputs.plugin],
    // No module imports the main file, so more may be exported from it than it says: the condition for putting sources together as we like.
    preserveEntrySignatures: "allow-extension",
  })
  // Names are kept for those who read a stack.
  const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const
  const options = { format: "esm", minify, entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" } as const
  const name = sharedFiles((await bundle.generate(options)).output.filter((file) => file.type === "chunk"))
  const shared = { name, debugName: "shared by commands", includeDependenciesRecursively: false }
  const { output } = await bundle.generate({ ...options, codeSplitting: { groups: [shared] } })
  await bundle.close()
  for (const file of output) if (file.type === "chunk") writeFileSync(join(folder, "program", file.fileName), asAscii(file.code))
  writeStart(folder, root)
  return inputs.all()
}

/** Compiled code is kept beside the program: the first start finds it there. */
const start = `import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
enableCompileCache(fileURLToPath(new URL("compiled", import.meta.url)))
await import("./program/main.js")
`

function writeStart(folder: string, root: string): void {
  const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", version }))
  writeFileSync(join(folder, "start.js"), start)
}
