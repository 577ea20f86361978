export { CompileErrors, compile } from "./compile.ts"
export { type Interval, unbounded } from "./cost/interval.ts"
export {
  Environment,
  type EnvironmentOptions,
  type FieldDeclaration,
  type Library,
  type ObjectDeclaration,
  type Reader,
  type SizeHints,
  type TypeBehaviour,
  type VariableDeclaration,
} from "./environment/environment.ts"
export { type FunctionDeclaration, functionsLibrary } from "./extensions/functions.ts"
export { listsLibrary } from "./extensions/lists.ts"
export { optionalsLibrary } from "./extensions/optionals.ts"
export { setsLibrary } from "./extensions/sets.ts"
export { newestStringsLibrary, stringsLibrary } from "./extensions/strings.ts"
export { twoVariableComprehensions } from "./extensions/two-variable-comprehensions.ts"
export { standardLibrary } from "./overloads/standard-library.ts"
export { type Activation, type EvaluateOptions, type Evaluation, type InputValue, Program } from "./program.ts"
export {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  optionalType,
  stringType,
  Type,
  timestampType,
  uintType,
} from "./types/types.ts"
export { Duration, parseDuration } from "./values/duration.ts"
export { jsonOf } from "./values/json.ts"
export { MapValue } from "./values/maps.ts"
export { parseTimestamp, Timestamp } from "./values/timestamp.ts"
export { Double, EvaluationError, fail, Opaque, Optional, Uint, type Value } from "./values/value.ts"
