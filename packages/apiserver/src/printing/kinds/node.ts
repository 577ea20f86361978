import type { Node } from "@pilothouse/api/core/v1"
import { none, or } from "../columns/cells.ts"
import { ageColumn, nameColumn, text, wide } from "../columns/column.ts"
import { printer } from "../columns/printer.ts"

const unknown = "<unknown>"

export const nodePrinter = printer<Node>(
  nameColumn,
  text("Status", statusText),
  text("Roles", rolesText),
  ageColumn,
  text("Version", ({ status }) => status?.nodeInfo?.kubeletVersion),
  wide(text("Internal-IP", (node) => addressOf(node, "InternalIP"))),
  wide(text("External-IP", (node) => addressOf(node, "ExternalIP"))),
  wide(text("OS-Image", ({ status }) => or(status?.nodeInfo?.osImage, unknown))),
  wide(text("Kernel-Version", kernelText)),
  wide(text("Container-Runtime", ({ status }) => or(status?.nodeInfo?.containerRuntimeVersion, unknown))),
)

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady"
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word
}

const rolePrefix = "node-role.kubernetes.io/"

/** From the labels node-role.kubernetes.io/<role> and kubernetes.io/role=<role>. */
function rolesText({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length)
    return key === "kubernetes.io/role" ? value : ""
  })
  return or([...new Set(roles.filter((role) => role !== ""))].sort().join(","), none)
}

function addressOf({ status }: Node, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? none
}

function kernelText({ status }: Node): string {
  const version = or(status?.nodeInfo?.kernelVersion, unknown)
  const architecture = status?.nodeInfo?.architecture
  return architecture ? `${version} (${architecture})` : version
}
