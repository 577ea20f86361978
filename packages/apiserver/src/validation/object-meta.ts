import {
  checkDns1123Label,
  checkLabelKey,
  checkLabelValue,
  type FieldError,
  fieldError,
  type NameCheck,
  type ObjectMeta,
  type OwnerReference,
  utf8Length,
} from "@pilothouse/api"

const annotationLimit = 256 * 1024

interface MetaRules {
  readonly namespaced: boolean
  readonly names: NameCheck
  /** Finalizers need no domain. */
  readonly plainFinalizers?: boolean | undefined
}

/** Returns what is wrong with the metadata that every kind has, in upstream's order. */
export function validateObjectMeta(metadata: ObjectMeta, { namespaced, names, plainFinalizers = false }: MetaRules): readonly FieldError[] {
  return [
    ...generateNameErrors(metadata.generateName ?? "", names),
    ...nameErrors(metadata.name ?? "", names),
    ...namespaceErrors(metadata.namespace ?? "", namespaced),
    ...validateLabels(metadata.labels, "metadata.labels"),
    ...validateAnnotations(metadata.annotations ?? {}, "metadata.annotations"),
    ...ownerErrors(metadata.ownerReferences ?? []),
    ...finalizerErrors(metadata.finalizers ?? [], plainFinalizers),
  ]
}

/** Validates the metadata of every update of every kind. Both have been through `keepSystemFields`. */
export function validateObjectMetaUpdate(metadata: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  const errors = [...newFinalizerErrors(metadata, old)]
  for (const field of ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    if (metadata[field] !== old[field]) errors.push(fieldError.invalid(`metadata.${field}`, metadata[field] ?? null, "field is immutable"))
  }
  return errors
}

export function validateLabels(labels: ObjectMeta["labels"], field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels ?? {})) {
    const [inKey, inValue] = [checkLabelKey(key), checkLabelValue(value)]
    if (inKey.length > 0 || inValue.length > 0) errors.push(...faults(field, key, inKey), ...faults(field, value, inValue))
  }
  return errors
}

function faults(field: string, value: unknown, texts: readonly string[]): readonly FieldError[] {
  return texts.map((text) => fieldError.invalid(field, value, text))
}

function generateNameErrors(prefix: string, names: NameCheck): readonly FieldError[] {
  return prefix === "" ? [] : faults("metadata.generateName", prefix, names(prefix, { prefix: true }))
}

function nameErrors(name: string, names: NameCheck): readonly FieldError[] {
  if (name === "") return [fieldError.required("metadata.name", "name or generateName is required")]
  return faults("metadata.name", name, names(name))
}

function namespaceErrors(namespace: string, namespaced: boolean): readonly FieldError[] {
  if (!namespaced) return namespace === "" ? [] : [fieldError.forbidden("metadata.namespace", "not allowed on this type")]
  if (namespace === "") return [fieldError.required("metadata.namespace")]
  return faults("metadata.namespace", namespace, checkDns1123Label(namespace))
}

export function validateAnnotations(annotations: Readonly<Record<string, string>>, field: string): readonly FieldError[] {
  const entries = Object.entries(annotations)
  const errors = entries.flatMap(([key]) => faults(field, key, checkLabelKey(key.toLowerCase())))
  // The limit is in bytes. A text of so many characters has at most three times as many, so small ones need no counting.
  const characters = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  if (characters * 3 <= annotationLimit) return errors
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0)
  return bytes > annotationLimit ? [...errors, fieldError.tooLong(field, annotationLimit)] : errors
}

function ownerErrors(owners: readonly OwnerReference[]): readonly FieldError[] {
  const errors = owners.flatMap((owner) => oneOwnerErrors(owner, "metadata.ownerReferences"))
  const [first, second] = owners.filter((owner) => owner.controller === true).map((owner) => `${owner.kind}/${owner.name}`)
  if (second === undefined) return errors
  const text = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`
  return [...errors, fieldError.invalid("metadata.ownerReferences", owners, text)]
}

function oneOwnerErrors(owner: OwnerReference, field: string): readonly FieldError[] {
  const required = (["apiVersion", "kind", "name", "uid"] as const).filter((part) => (owner[part] ?? "") === "")
  const text = (part: string) => (part === "apiVersion" ? "version must not be empty" : "must not be empty")
  const errors = required.map((part) => fieldError.invalid(`${field}.${part}`, "", text(part)))
  if (owner.apiVersion === "v1" && owner.kind === "Event") {
    errors.push(fieldError.invalid(field, owner, "/v1, Kind=Event is disallowed from being an owner"))
  }
  return errors
}

function finalizerErrors(finalizers: readonly string[], plain: boolean): readonly FieldError[] {
  const errors = [
    ...finalizers.flatMap((finalizer) => faults("metadata.finalizers", finalizer, checkLabelKey(finalizer))),
    ...(plain ? [] : finalizers).flatMap((finalizer, index) => finalizerNameErrors(finalizer, `metadata.finalizers[${index}]`)),
  ]
  if (!finalizers.includes("orphan") || !finalizers.includes("foregroundDeletion")) return errors
  return [...errors, fieldError.invalid("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set")]
}

const standardFinalizers: readonly string[] = ["kubernetes", "orphan", "foregroundDeletion"]

/** A name of one's own has a domain before it. */
export function finalizerNameErrors(finalizer: string, field: string): readonly FieldError[] {
  if (finalizer.includes("/") || standardFinalizers.includes(finalizer) || checkLabelKey(finalizer).length > 0) return []
  return [fieldError.invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified")]
}

function newFinalizerErrors(metadata: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  if (old.deletionTimestamp === undefined) return []
  const before = new Set(old.finalizers)
  const added = (metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer)).sort()
  if (added.length === 0) return []
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ")
  const text = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`
  return [fieldError.forbidden("metadata.finalizers", text)]
}
