import { type KubeObject, StatusError } from "@pilothouse/api"
import { encodeProtobuf, hasProtobuf } from "@pilothouse/api/protobuf"
import { stringifyJson } from "@pilothouse/seams"
import { tooManyValues, valueCount } from "../body/body-limit.ts"
import { copyManagedFields, withManagedFields } from "../managedfields/object-managed-fields.ts"
import type { Stored } from "./storage.ts"

/** etcd's --max-request-bytes: what a cluster on etcd cannot keep is not kept here either. */
export const maxObjectBytes = 1.5 * 1024 * 1024

/** A JSON body up to this size makes no object that is too large: defaults make it up to eight times as long. */
const surelySmall = 128 * 1024

/**
 * Fields and list items of an object, with its defaults and without managedFields. Patches of few values each would otherwise make an object whose every later change
 * takes seconds: 1.5 MiB have room for 500,000.
 */
export const maxObjectValues = 100_000

/**
 * Throws what kube-apiserver answers when etcd refuses an object. `text` is the object as JSON, or longer. What JSON needs more than the protobuf of
 * upstream's storage is not counted: a ConfigMap of 1 MiB of line ends is 2 MiB of JSON, and is stored.
 *
 * An object that is larger, because it was stored before there was a limit, can be changed and deleted as long as its content does not grow.
 */
export function checkObjectSize(text: string, value: KubeObject, previous: Stored | undefined): void {
  checkObjectValues(text, value, previous)
  // UTF-8 has no more than three bytes for a character of a JavaScript string.
  if (text.length * 3 <= maxObjectBytes || Buffer.byteLength(text) <= maxObjectBytes) return
  if (storedBytes(value) <= maxObjectBytes) return
  if (previous !== undefined && storedBytes(content(value)) <= storedBytes(content(previous.value))) return
  throw new ObjectTooLarge()
}

function checkObjectValues(text: string, value: KubeObject, previous: Stored | undefined): void {
  if (text.length < 2 * maxObjectValues) return
  const count = valueCount(value, maxObjectBytes)
  if (count <= maxObjectValues) return
  if (previous !== undefined && count <= valueCount(previous.value, maxObjectBytes)) return
  throw tooManyValues(maxObjectValues)
}

/** The refusal of an object because of its size, in the words of etcd. */
export class ObjectTooLarge extends StatusError {
  constructor() {
    const message = "etcdserver: request is too large"
    super({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 })
  }
}

function storedBytes(value: KubeObject): number {
  const whole = withManagedFields(value)
  return hasProtobuf(value.apiVersion, value.kind) ? encodeProtobuf(whole).length : Buffer.byteLength(stringifyJson(whole))
}

/**
 * Without the fields that the server sets on every change and on deletion. They have a bounded length, so leaving them out lets no object grow for
 * ever.
 */
function content(value: KubeObject): KubeObject {
  const { resourceVersion, generation, deletionTimestamp, deletionGracePeriodSeconds, ...metadata } = value.metadata
  return copyManagedFields(value, { ...value, metadata })
}

/** Whether a body may make an object that is too large: one of many bytes, and one that says how to change or to repeat something. */
export function mayBeLarge(verb: string, contentType: string, bytes: number): boolean {
  return bytes > surelySmall || (bytes > 0 && (verb === "PATCH" || contentType === "application/yaml"))
}
