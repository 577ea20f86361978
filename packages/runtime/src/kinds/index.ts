export { type CustomObject, type DeepReadonly, defineKind, type Kind, type KindOptions } from "./define-kind.ts"
