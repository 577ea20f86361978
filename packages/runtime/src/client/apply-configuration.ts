import type { KubeObject, ObjectMeta } from "@pilothouse/api"

/**
 * The fields of an object that one manager applies: its name, and any part of the rest, of list items too. Of an object whose type says no more than
 * its metadata, anything.
 */
export type ApplyConfiguration<T extends KubeObject = KubeObject> = Partial<Pick<T, "apiVersion" | "kind">> & {
  readonly metadata: ObjectMeta
} & ([Exclude<keyof T, keyof KubeObject>] extends [never] ? Readonly<Record<string, unknown>> : Applied<Omit<T, keyof KubeObject>>)

type Applied<T> = T extends readonly (infer Item)[]
  ? readonly Applied<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Applied<T[Field]> }
    : T
