export { defineKind } from "./define-kind.ts"
export type { CustomObject, DeepReadonly, Kind, KindOptions } from "./kind.ts"
