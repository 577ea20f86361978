export { type FindOptions, findResults } from "./evaluate.ts"
export { parseTemplate, relaxedTemplate } from "./parse.ts"
export type { PathNode, TemplatePart } from "./path-node.ts"
export { printResults, printResultsAsJson } from "./print.ts"
