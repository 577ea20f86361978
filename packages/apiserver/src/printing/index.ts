export { rowMaker, type Table, type TableContext, toTable } from "./table.ts"
