export { type PrintedKind, rowMaker, type Table, type TableContext, toTable } from "./table.ts"
