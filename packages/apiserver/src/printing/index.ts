export { toTable } from "./table.ts"
