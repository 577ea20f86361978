import { badRequest, type Descriptor, type StatusError } from "@pilothouse/api"
import { stringifyJson } from "@pilothouse/seams"
import type { Registry } from "../registry/registry.ts"
import { unrecognized } from "./unrecognized-body.ts"

type Kind = Pick<Descriptor, "group" | "version" | "kind">

/** Versions that are no longer served and that upstream still knows how to read. */
const oldVersions: Readonly<Record<string, readonly string[]>> = {
  apps: ["v1beta1", "v1beta2"],
  autoscaling: ["v1", "v2", "v2beta1", "v2beta2"],
  batch: ["v1beta1"],
  certificates: ["v1beta1"],
  coordination: ["v1beta1"],
  discovery: ["v1beta1"],
  events: ["v1beta1"],
  networking: ["v1beta1"],
  policy: ["v1beta1"],
  rbac: ["v1alpha1", "v1beta1"],
  scheduling: ["v1alpha1", "v1beta1"],
  storage: ["v1alpha1", "v1beta1"],
}

/** Why a body that says it is something else is not taken. */
export function wrongKind(registry: Registry, expected: Kind, body: { readonly apiVersion: string; readonly kind: string }): StatusError {
  const parts = body.apiVersion.split("/")
  if (parts.length > 2) {
    return unrecognized(expected.kind, `unexpected GroupVersion string: ${body.apiVersion}`, new TextEncoder().encode(stringifyJson(body)))
  }
  const [version = "", group = ""] = parts.toReversed()
  const kind = body.kind === "" ? expected.kind : body.kind
  const cannot = (why: string) =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`)
  if (!isKnown(registry, { group, version, kind })) {
    return cannot(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(body.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  if (kind !== expected.kind)
    return cannot(`converting (${version}.${kind}) to (${packageOf(expected.group)}.${expected.kind}): unknown conversion`)
  const wanted = expected.group === "" ? expected.version : `${expected.group}/${expected.version}`
  return badRequest(`the API version in the data (${body.apiVersion}) does not match the expected API version (${wanted})`)
}

function isKnown(registry: Registry, { group, version, kind }: Kind): boolean {
  const inGroup = registry.resources().filter(({ descriptor }) => descriptor.group === group && descriptor.kind === kind)
  return inGroup.some(({ descriptor }) => descriptor.version === version || oldVersions[packageOf(group)]?.includes(version))
}

/** As upstream's packages are called: the first word of a group. */
function packageOf(group: string): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group)
}
