export { byIdentity } from "./by-identity.ts"
export { excludePaths, type FieldFilter, includePatterns } from "./field-filter.ts"
export { type FieldPath, hasPath, pathsOf, pathText, setOfPaths } from "./field-path.ts"
export {
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  intersection,
  isEmptySet,
  recursiveDifference,
  union,
  unionAll,
} from "./field-set.ts"
export { parseFieldSet } from "./parse-field-set.ts"
