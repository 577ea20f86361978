// For maintainers: writes docs/reference/controllers.md from the table of loops. A test compares the two.
import { writeFileSync } from "node:fs"
import { controllersReference } from "@pilothouse/controllers"

writeFileSync(new URL("../docs/reference/controllers.md", import.meta.url), controllersReference())
