export { type Pattern, patternCompiler } from "./regular-expressions.ts"
