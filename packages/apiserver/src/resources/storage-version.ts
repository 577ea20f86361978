import { checkDns1035Label, checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"
import type { ServerStorageVersion, StorageVersion, StorageVersionStatus } from "@pilothouse/api/apiserverinternal/v1alpha1"
import { repeats } from "../validation/field-rules.ts"
import type { ResourceStrategy } from "./resource.ts"

/** Says of one resource in which version each API server stores its objects. Nothing of this server writes one: it is alone. */
export const storageVersion: ResourceStrategy<StorageVersion> = {
  statusKeeps: "metadata",
  unconditionalUpdate: false,
  names: checkName,
  validateStatusUpdate: ({ status }) => statusErrors(status ?? {}),
}

/** "apps.deployments" */
function checkName(name: string): readonly string[] {
  const dot = name.lastIndexOf(".")
  if (dot < 0) return ["name must be in the form of <group>.<resource>"]
  return [
    ...checkDns1123Subdomain(name.slice(0, dot)).map((text) => `the group segment ${text}`),
    ...checkDns1035Label(name.slice(dot + 1)).map((text) => `the resource segment ${text}`),
  ]
}

function statusErrors({ storageVersions = [], commonEncodingVersion }: StorageVersionStatus): readonly FieldError[] {
  const again = repeats(storageVersions.map(({ apiServerID }) => apiServerID))
  return [
    ...storageVersions.flatMap((version, index) => {
      const field = `status.storageVersions[${index}]`
      const duplicate = again[index] ? [fieldError.duplicate(`${field}.apiServerID`, version.apiServerID)] : []
      return [...duplicate, ...serverErrors(version, field)]
    }),
    ...commonVersionErrors(storageVersions, commonEncodingVersion),
  ]
}

function serverErrors(version: ServerStorageVersion, field: string): readonly FieldError[] {
  const { apiServerID = "", encodingVersion = "", decodableVersions = [], servedVersions = [] } = version
  const isDecodable = (one: string) => decodableVersions.includes(one)
  const misses = `decodableVersions must include encodingVersion ${encodingVersion}`
  return [
    ...checkDns1123Subdomain(apiServerID).map((text) => fieldError.invalid(`${field}.apiServerID`, apiServerID, text)),
    ...versionErrors(encodingVersion, `${field}.encodingVersion`),
    ...decodableVersions.flatMap((one, index) => versionErrors(one, `${field}.decodableVersions[${index}]`)),
    ...(isDecodable(encodingVersion) ? [] : [fieldError.invalid(`${field}.decodableVersions`, decodableVersions, misses)]),
    ...servedVersions.flatMap((one, index) => {
      const path = `${field}.servedVersions[${index}]`
      const text = `individual served version : ${one} must be included in decodableVersions : [${decodableVersions.join(" ")}]`
      return [...versionErrors(one, path), ...(isDecodable(one) ? [] : [fieldError.invalid(path, one, text)])]
    }),
  ]
}

/** "v1" or "apps/v1". */
function versionErrors(apiVersion: string, field: string): readonly FieldError[] {
  const [version = "", group, more] = apiVersion.split("/").reverse()
  const faults = [
    ...(more === undefined
      ? []
      : ["an apiVersion is a DNS-1035 label with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"]),
    ...(group === undefined ? [] : checkDns1123Subdomain(group).map((text) => `group part: ${text}`)),
    ...checkDns1035Label(version).map((text) => `version part: ${text}`),
  ]
  return faults.length === 0 ? [] : [fieldError.invalid(field, apiVersion, faults.join(","))]
}

/** Returns the version that all servers store in; undefined where they differ, or there is none. */
function commonVersion(versions: readonly ServerStorageVersion[]): string | undefined {
  const [first] = versions
  return versions.every(({ encodingVersion }) => encodingVersion === first?.encodingVersion) ? first?.encodingVersion : undefined
}

function commonVersionErrors(versions: readonly ServerStorageVersion[], given: string | undefined): readonly FieldError[] {
  const common = commonVersion(versions)
  if (common === given) return []
  const field = "status.commonEncodingVersion"
  if (common === undefined) {
    const text =
      "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet"
    return [fieldError.invalid(field, given, text)]
  }
  const text = given === undefined ? `the common encoding version is ${common}` : `the actual common encoding version is ${common}`
  return [fieldError.invalid(field, given ?? null, text)]
}
