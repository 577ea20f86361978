import { checkDns1035Label, checkDns1123Subdomain, type FieldError, fieldError, isConditionTrue } from "@pilothouse/api"
import type { StorageVersionMigration } from "@pilothouse/api/storagemigration/v1beta1"
import { immutable } from "../validation/field-rules.ts"
import type { ResourceStrategy } from "./resource.ts"

/** Names a resource whose objects are to be stored again; what became of it is in the status. */
export const storageVersionMigration: ResourceStrategy<StorageVersionMigration> = {
  statusKeeps: "metadata",
  unconditionalUpdate: false,
  validate: ({ spec }) => resourceErrors(spec?.resource),
  validateUpdate: ({ spec }, old) => immutable(spec, old.spec, "spec"),
  validateStatusUpdate: ({ status }, { status: old }) => [
    ...versionErrors(status?.resourceVersion, old?.resourceVersion),
    ...outcomeErrors(status, old),
  ],
}

function resourceErrors(of: NonNullable<StorageVersionMigration["spec"]>["resource"] | undefined): readonly FieldError[] {
  const { group = "", resource = "" } = of ?? {}
  const field = "spec.resource"
  const invalid = (part: string, value: string, faults: readonly string[]) =>
    faults.length === 0 ? [] : [fieldError.invalid(`${field}.${part}`, value, faults.join(","))]
  return [
    ...(resource === ""
      ? [fieldError.required(`${field}.resource`, "resource is required to be set")]
      : invalid("resource", resource, checkDns1035Label(resource))),
    ...(group === "" ? [] : invalid("group", group, checkDns1123Subdomain(group))),
  ]
}

function versionErrors(version = "", old = ""): readonly FieldError[] {
  const field = "status.resourceVersion"
  const isWellFormed = version === "" || /^[1-9]\d*$/.test(version)
  return [
    ...(isWellFormed ? [] : [fieldError.invalid(field, version, `resource version is not well formed: ${version}`)]),
    ...(old === "" || old === version ? [] : [fieldError.invalid(field, version, "field is immutable")]),
  ]
}

type Status = StorageVersionMigration["status"]

/** A migration succeeds or fails once. */
function outcomeErrors(status: Status, old: Status): readonly FieldError[] {
  const conditions = status?.conditions ?? []
  const is = (of: Status, type: string) => isConditionTrue(of?.conditions, type)
  const invalid = (text: string) => fieldError.invalid("status.conditions", conditions, text)
  const lost = (type: string) => is(old, type) && !is(status, type)
  return [
    ...(is(status, "Succeeded") && is(status, "Failed")
      ? [invalid("Both success and failed conditions cannot be true at the same time")]
      : []),
    ...(lost("Succeeded") ? [invalid("Success condition cannot be set to false once it is true")] : []),
    ...(lost("Failed") ? [invalid("Failed condition cannot be set to false once it is true")] : []),
  ]
}
