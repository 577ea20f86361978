// npm run generate: writes packages/api/src/generated from the Kubernetes Go modules, for which it needs Go on the PATH,
// and packages/discovery/src/generated from the definitions that @grpc/grpc-js-xds ships.
import { generate } from "./generate.ts"
import { writeGenerated } from "./generated-file.ts"
import { goModules } from "./go-modules.ts"
import { generateXds } from "./xds/generate-xds.ts"

const modules = goModules()
const files = [...generate(modules), generateXds()]
const changes = writeGenerated(files)
for (const change of changes) console.log(`${change.path}: was ${change.is}`)
const bytes = files.reduce((sum, file) => sum + file.content.length, 0)
console.log(`${files.length} files, ${Math.round(bytes / 1024)} KiB, ${changes.length} changed`)
