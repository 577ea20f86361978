import { badRequest, type FieldError, fieldError, internalError, type KubeObject, StatusError } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { goFormat, goType } from "@pilothouse/api/patch"
import { setOwn } from "@pilothouse/seams"
import type { Draft } from "../body/draft.ts"
import type { ReplicasPaths } from "../managedfields/scale-managed-fields.ts"
import type { Scalable } from "../resources/resource.ts"
import { customScalePrinter } from "./printer-columns.ts"

type Json = Readonly<Record<string, unknown>>

/** Returns where the objects of a version have what their scale says; undefined for a version without a scale. */
export function customScale({ spec }: CustomResourceDefinition, version: CustomResourceDefinitionVersion): Scalable | undefined {
  const scale = version.subresources?.scale
  if (scale === undefined) return undefined
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale
  return {
    replicasPaths: replicasPaths(spec.group, spec.versions),
    printer: customScalePrinter(version),
    read: (object) => ({
      replicas: integerAt(object, specReplicasPath),
      statusReplicas: integerAt(object, statusReplicasPath) ?? 0,
      selector: labelSelectorPath === "" ? "" : (textAt(object, labelSelectorPath) ?? ""),
    }),
    write: (object, replicas) => setAt(object, specReplicasPath, replicas),
    missing: (verb) =>
      verb === "get"
        ? internalError(`the spec replicas field "${specReplicasPath}" does not exist`)
        : badRequest(`the spec replicas field "${specReplicasPath}" cannot be empty`),
  }
}

/** Returns what is wrong with the numbers that the scale of an object shows; "status" leaves out the replicas of its spec. */
export function validateScale(
  { subresources }: CustomResourceDefinitionVersion,
  object: KubeObject,
  part: "all" | "status" = "all",
): readonly FieldError[] {
  const scale = subresources?.scale
  if (scale === undefined) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale
  return [
    ...(part === "all" ? replicasErrors(object, specReplicasPath) : []),
    ...replicasErrors(object, statusReplicasPath),
    ...(labelSelectorPath === "" ? [] : typeErrors(labelSelectorPath, "", () => textAt(object, labelSelectorPath))),
  ]
}

function replicasErrors(object: KubeObject, path: string): readonly FieldError[] {
  const wrong = typeErrors(path, 0, () => integerAt(object, path))
  if (wrong.length > 0) return wrong
  const replicas = (valueAt(object, path) ?? 0) as number | bigint
  if (replicas < 0) return [fieldError.invalid(path, replicas, "should be a non-negative integer")]
  return replicas > 2_147_483_647 ? [fieldError.invalid(path, replicas, "should be less than or equal to 2147483647")] : []
}

/** Upstream names the zero of the type that it expected, not what is there. */
function typeErrors(path: string, zero: string | number, read: () => unknown): readonly FieldError[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof StatusError) return [fieldError.invalid(path, zero, error.message)]
    throw error
  }
}

/** Managers may own the replicas in any version; one without a scale has none. */
function replicasPaths(group: string, versions: readonly CustomResourceDefinitionVersion[]): ReplicasPaths {
  return new Map(
    versions.map(({ name, subresources }) => {
      const path = subresources?.scale?.specReplicasPath
      return [`${group}/${name}`, path === undefined ? undefined : keysOf(path).map((key) => `f:${key}`)]
    }),
  )
}

/** ".spec.replicas" is ["spec", "replicas"]. */
function keysOf(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".")
}

function integerAt(object: KubeObject, path: string): number | undefined {
  const value = valueAt(object, path)
  if (value === undefined) return undefined
  if (goType(value) !== "int64") throw wrongType(path, value, "int64")
  // A Scale has 32 bits.
  return Number(BigInt.asIntN(32, BigInt(value as number | bigint)))
}

function textAt(object: KubeObject, path: string): string | undefined {
  const value = valueAt(object, path)
  if (value === undefined || typeof value === "string") return value
  throw wrongType(path, value, "string")
}

function valueAt(object: KubeObject, path: string): unknown {
  let value: unknown = object
  for (const [index, key] of keysOf(path).entries()) {
    if (value === null) return undefined
    if (typeof value !== "object" || Array.isArray(value)) {
      const reached = keysOf(path).slice(0, index + 1)
      throw wrongType(`.${reached.join(".")}`, value, "map[string]interface{}")
    }
    if (!Object.hasOwn(value as object, key)) return undefined
    value = (value as Json)[key]
  }
  return value
}

function wrongType(path: string, value: unknown, expected: string): StatusError {
  const found = value === null ? "<nil>" : goType(value)
  return failed(`.${keysOf(path).join(".")} accessor error: ${goFormat(value)} is of the type ${found}, expected ${expected}`)
}

function setAt(object: Draft<KubeObject>, path: string, value: number): void {
  const keys = keysOf(path)
  let holder = object as unknown as Record<string, unknown>
  for (const [index, key] of keys.slice(0, -1).entries()) {
    if (!Object.hasOwn(holder, key)) setOwn(holder, key, {})
    const next = holder[key]
    if (typeof next !== "object" || next === null || Array.isArray(next)) {
      throw failed(`value cannot be set because .${keys.slice(0, index + 1).join(".")} is not a map[string]interface{}`)
    }
    holder = next as Record<string, unknown>
  }
  setOwn(holder, keys.at(-1) ?? "", value)
}

/** Upstream answers these with 500 and no reason. */
function failed(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 })
}
