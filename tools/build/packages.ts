import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Package {
  /** Under packages/. */
  readonly folder: string
  readonly name: string
  readonly dependencies: readonly string[]
}

/** The packages that have sources. */
export function readPackages(root: string): readonly Package[] {
  const folders = readdirSync(join(root, "packages")).filter((folder) => existsSync(join(root, "packages", folder, "src")))
  return folders.map((folder) => {
    const manifest: { name: string; dependencies?: Record<string, string> } = JSON.parse(
      readFileSync(join(root, "packages", folder, "package.json"), "utf8"),
    )
    return { folder, name: manifest.name, dependencies: Object.keys(manifest.dependencies ?? {}) }
  })
}

/** Each after those it depends on; what is not of the workspace does not count. */
export function buildOrder(packages: readonly Package[]): readonly Package[] {
  const order: Package[] = []
  const visit = (one: Package, above: readonly string[]): void => {
    if (above.includes(one.name)) throw new Error(`expected packages without a cycle, found ${[...above, one.name].join(" → ")}`)
    if (order.includes(one)) return
    for (const other of packages.filter(({ name }) => one.dependencies.includes(name))) visit(other, [...above, one.name])
    order.push(one)
  }
  for (const one of packages) visit(one, [])
  return order
}
