import { Buffer } from "node:buffer"
import { type FieldError, fieldError } from "@pilothouse/api"
import type { Secret } from "@pilothouse/api/core/v1"
import { setOwn } from "@pilothouse/seams"
import { immutable } from "../validation/field-rules.ts"
import { dataKeyErrors, dataLimit, decodedLength, frozenErrors } from "./config-map.ts"
import type { ResourceStrategy } from "./resource.ts"

export const secret: ResourceStrategy<Secret> = {
  defaults(object) {
    object.type ??= "Opaque"
    if (object.stringData === undefined) return
    // A convenience for writers; it is never read back.
    object.data = { ...object.data }
    for (const [key, text] of Object.entries(object.stringData)) setOwn(object.data, key, Buffer.from(text).toString("base64"))
    delete object.stringData
  },
  validate: (object) => [...dataKeyErrors(object.data ?? {}, "data"), ...sizeErrors(object), ...typeErrors(object)],
  validateUpdate: (object, old) => [...immutable(object.type, old.type, "type"), ...frozenErrors(object, old, ["data"])],
  fields: { type: ({ type }) => type ?? "" },
}

function sizeErrors({ data = {} }: Secret): readonly FieldError[] {
  const size = Object.values(data).reduce((sum, value) => sum + decodedLength(value), 0)
  return size > dataLimit ? [fieldError.tooLong("data", dataLimit)] : []
}

const required: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
}
const serviceAccountName = "kubernetes.io/service-account.name"

/** Each well-known type promises its readers certain keys. */
function typeErrors({ type = "", data = {}, metadata }: Secret): readonly FieldError[] {
  if (type === "kubernetes.io/service-account-token") {
    const name = metadata.annotations?.[serviceAccountName] ?? ""
    return name === "" ? [fieldError.required(`metadata.annotations[${serviceAccountName}]`)] : []
  }
  if (type === "kubernetes.io/basic-auth") {
    const known = data.username !== undefined || data.password !== undefined
    return known ? [] : ["username", "password"].map((key) => fieldError.required(`data[${key}]`))
  }
  return (Object.hasOwn(required, type) ? (required[type] ?? []) : [])
    .filter((key) => data[key] === undefined)
    .map((key) => fieldError.required(`data[${key}]`))
}
