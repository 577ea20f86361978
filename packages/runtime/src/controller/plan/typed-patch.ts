import type { ObjectRef } from "./plan.ts"

/**
 * What a merge patch of a value may say: any part of it, and null where a field is to go. Lists are replaced whole.
 * Of an object whose type says no more than its metadata, anything.
 */
export type MergePatch<T> = [Exclude<keyof T, keyof ObjectRef>] extends [never] ? unknown : Part<T>

type Part<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [Field in keyof T]?: Part<T[Field]> | null } : T

/** The status that an object of this type has; of one whose type says nothing of a status, anything. */
export type StatusOf<T> = T extends { readonly status?: infer Status } ? (unknown extends Status ? unknown : NonNullable<Status>) : unknown

/** A merge patch is checked against the object's type; the other types of patches have directives and paths of their own. */
export type PatchOf<T, Type> = [Type] extends ["merge"] ? MergePatch<T> : unknown
