// For maintainers: writes docs/reference/controllers.md from the table of controllers, and runtime.md from the comments of what the runtime exports. Tests compare.
import { writeFileSync } from "node:fs"
import { controllersReference } from "@pilothouse/controllers"
import { runtimeReference } from "./runtime-reference.ts"

writeFileSync(new URL("../docs/reference/controllers.md", import.meta.url), controllersReference())
writeFileSync(new URL("../docs/reference/runtime.md", import.meta.url), runtimeReference())
