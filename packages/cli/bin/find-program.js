// Which files are the program: in the workspace the bundle that `npm ci` made of the sources, or the sources where they are not those any more; in an
// installed package dist. Plain JavaScript: any Node from 18 on must be able to parse this file.
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(dirname(fileURLToPath(import.meta.url)))
export const workspace = dirname(dirname(here))
/** In node_modules, so that `npm ci` takes them away with the packages that are in them. */
export const bundlesFolder = join(workspace, "node_modules", ".cache", "pilothouse")

/** What Node runs, and whether it needs nothing but that. */
export function findProgram(bundles = bundlesFolder, root = workspace) {
  const source = join(here, "src", "main.ts")
  if (!existsSync(source)) return { file: join(here, "dist", "main.js"), flags: [], kind: "dist" }
  const bundle = freshBundle(bundles, root)
  if (bundle !== undefined) return { file: bundle, flags: [], kind: "bundle" }
  return { file: source, flags: ["--conditions=@pilothouse/source"], kind: "sources" }
}

/**
 * The bundle that is listed, where every file that went into it is as it was then. Size and time of a thousand files take some 6 ms to read. After
 * an edit of a source, a change of the branch or an installed package the sources run until the bundle is recreated.
 */
function freshBundle(bundles, root) {
  try {
    const { bundle, inputs } = JSON.parse(readFileSync(join(bundles, "inputs.json"), "utf8"))
    const isSame = ([path, size, time]) => {
      const found = statSync(`${root}/${path}`)
      return found.size === size && found.mtimeMs === time
    }
    const start = join(bundles, bundle, "start.js")
    return existsSync(start) && inputs.every(isSame) ? start : undefined
  } catch {
    // There is none, or a file that it was made of is gone.
    return undefined
  }
}
