import type { Duration } from "@pilothouse/seams"

/** What every call of a client takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** The timeout of one response; the client's own timeout by default. */
  readonly timeout?: Duration
}

/** Attributes to ask for, as in the query of a list: a list of values means any of them. `undefined` is left out. */
export type Filter = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Objects of one kind. Reads ask again after a failure that may pass; writes only where repeating is safe. */
export interface ReadCollection<T> {
  /** All of them, page by page. */
  list(filter?: Filter, options?: CallOptions): Promise<readonly T[]>
  /** Throws a refusal of kind "not-found" where there is none. */
  get(id: string, options?: CallOptions): Promise<T>
  /** Undefined where there is none. */
  find(id: string, options?: CallOptions): Promise<T | undefined>
}

/** The objects of one resource that can be changed. A create is not repeated after a lost answer: the caller searches first. */
export interface Collection<T, New, Change = Partial<New>> extends ReadCollection<T> {
  create(requested: New, options?: CallOptions): Promise<T>
  update(id: string, change: Change, options?: UpdateOptions): Promise<T>
  /** False: it was gone already. */
  delete(id: string, options?: CallOptions): Promise<boolean>
}

/** Options of an update that must not overwrite the change of another client. */
export interface UpdateOptions extends CallOptions {
  /** Neutron only. Refused with kind "stale" when the object's revision_number is another one. */
  readonly ifRevision?: number
}
