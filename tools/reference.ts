// For maintainers: writes docs/reference/controllers.md from the table of controllers, and runtime.md from the comments of what the runtime exports, and
// the tables and charts of benches/results. Tests compare.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { controllersReference } from "@pilothouse/controllers"
import { writeDocumentedResults } from "./bench/document.ts"
import { runtimeReference } from "./runtime-reference.ts"

writeFileSync(new URL("../docs/reference/controllers.md", import.meta.url), controllersReference())
writeFileSync(new URL("../docs/reference/runtime.md", import.meta.url), runtimeReference())
writeDocumentedResults(join(import.meta.dirname, ".."))
