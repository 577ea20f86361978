// npm run build: writes packages/*/dist, what is published: JavaScript with source maps, a file for each entry, and declarations. npm run build -- seams api: only those.
import { fileURLToPath } from "node:url"
import { buildPackage } from "./build-package.ts"
import { bundlePackage } from "./bundle-package.ts"
import { compileEarly } from "./compile-early.ts"
import { buildOrder, readPackages } from "./packages.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const wanted = process.argv.slice(2)

const order = buildOrder(readPackages(root))
const unknown = wanted.filter((folder) => !order.some((one) => one.folder === folder))
if (unknown.length > 0) {
  console.error(`expected packages among ${order.map(({ folder }) => folder).join(", ")}, found ${unknown.join(", ")}`)
  process.exit(2)
}

for (const one of order.filter(({ folder }) => wanted.length === 0 || wanted.includes(folder))) {
  const failure = buildPackage(one, root)
  console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${one.name}`)
  if (failure === undefined) {
    await bundlePackage(one, root)
    continue
  }
  // What comes later stands on this one's declarations.
  console.error(failure)
  process.exitCode = 1
  break
}
// Some packages alone may not fit those that were built before.
if (wanted.length === 0 && process.exitCode === undefined) compileEarly(root)
