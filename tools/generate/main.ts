// npm run generate: writes packages/api/src/generated from the Kubernetes Go modules. Needs Go on the PATH.
import { generate } from "./generate.ts"
import { writeGenerated } from "./generated-file.ts"
import { goModules } from "./go-modules.ts"

const modules = goModules()
const files = generate(modules)
const changes = writeGenerated(files)
for (const change of changes) console.log(`${change.path}: was ${change.is}`)
const bytes = files.reduce((sum, file) => sum + file.content.length, 0)
console.log(`${files.length} files, ${Math.round(bytes / 1024)} KiB, ${changes.length} changed`)
