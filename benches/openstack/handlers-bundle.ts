import { join } from "node:path"
import { rolldown } from "rolldown"

/** The process of handlers as what is installed is made: bundled, so that it carries no compiler. Gives the file. */
export async function bundleHandlers(directory: string): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "handlers-process.ts"),
    platform: "node",
    resolve: { conditionNames: ["@pilothouse/source", "node", "import", "default"] },
    external: [/^node:/],
  })
  const file = join(directory, "handlers-process.mjs")
  await bundle.write({ file, format: "esm", codeSplitting: false })
  await bundle.close()
  return file
}
