import type { AppArmorProfile, Container, Pod } from "@pilothouse/api/core/v1"
import { boundingSetOf, unknownCapability } from "./capabilities.ts"
import { type Credentials, type HostPowers, needsSetpriv } from "./credentials.ts"
import { appArmorAnnotation, type Refused, type SecurityView, securityView } from "./effective-context.ts"
import { type UserDecision, userOf } from "./process-user.ts"

/** The credentials of a process, or why there are none. */
export type SecurityDecision = Refused | { readonly credentials: Credentials; readonly ignored: readonly string[] }

/**
 * How the process of a container is started so that its securityContext holds, or why it is not started.
 * Always true: a process that is started never has more rights than its securityContext grants.
 */
export function decideSecurity(pod: Pod, container: Container, powers: HostPowers): SecurityDecision {
  const view = securityView(pod, container)
  const user = userOf(view, powers)
  if ("refused" in user) return user
  const missing = missingIsolation(view)
  if (missing !== undefined) return { refused: missing }
  const capabilities = capabilitiesOf(view, user, powers)
  if ("refused" in capabilities) return capabilities
  const noNewPrivileges = view.context.allowPrivilegeEscalation === false || capabilities.noNewPrivileges
  const credentials: Credentials = { user: user.set, ...capabilities, ...(noNewPrivileges && { noNewPrivileges }) }
  const ignored = ignoredFields(view, user)
  if (!needsSetpriv(credentials)) return { credentials, ignored }
  const { setpriv } = powers
  return setpriv === undefined ? { refused: needed(view, credentials) } : { credentials: { ...credentials, setpriv }, ignored }
}

const advice = "remove it, or run the container on a node with a container runtime"

/** The first promise of isolation that a plain process of this host cannot keep, as a message; undefined where there is none. */
function missingIsolation(view: SecurityView): string | undefined {
  const { pod, context } = view
  const { hostUsers, securityContext } = pod.spec ?? {}
  const { readOnlyRootFilesystem, privileged, seccompProfile } = context
  const cannot = (field: string, why: string) => `cannot keep ${field}: ${why}; ${advice}`
  if (hostUsers === false) return cannot("hostUsers: false", "a process of this host has no user namespace of its own")
  if (readOnlyRootFilesystem)
    return cannot("securityContext.readOnlyRootFilesystem: true", "a process of this host writes wherever its user may")
  const [sysctl] = securityContext?.sysctls ?? []
  if (sysctl !== undefined)
    return cannot(`securityContext.sysctls (${sysctl.name})`, "a process of this host has the kernel settings of the host")
  // Of a privileged container a runtime filters nothing either.
  if (privileged) return undefined
  if (seccompProfile !== undefined && seccompProfile.type !== "Unconfined")
    return cannot(`securityContext.seccompProfile ${seccompProfile.type}`, "seccomp is not supported for processes of this host")
  const profile = appArmorOf(view)
  if (profile !== undefined && profile.type !== "Unconfined")
    return cannot(`securityContext.appArmorProfile ${profile.type}`, "AppArmor is not supported for processes of this host")
  return undefined
}

/** The container's own field, then the older annotation, then the pod's field, as a kubelet has it. */
function appArmorOf({ pod, container, context }: SecurityView): AppArmorProfile | undefined {
  const annotated = pod.metadata.annotations?.[`${appArmorAnnotation}${container.name}`]
  if (container.securityContext?.appArmorProfile === undefined && annotated !== undefined)
    return { type: annotated === "unconfined" ? "Unconfined" : annotated.startsWith("localhost/") ? "Localhost" : "RuntimeDefault" }
  return context.appArmorProfile
}

type CapabilitiesDecision = Refused | Pick<Credentials, "boundingSet" | "clearsCapabilities" | "noNewPrivileges">

/**
 * Where the bounding set cannot be made smaller, a process that is not root has no capabilities, and gets none when no program that it starts gives it
 * any: no_new_privs keeps the promise.
 */
function capabilitiesOf({ context }: SecurityView, { uid }: UserDecision, powers: HostPowers): CapabilitiesDecision {
  const { capabilities = {}, privileged } = context
  const unknown = unknownCapability(capabilities)
  if (unknown !== undefined)
    return { refused: `expected Linux capabilities such as NET_BIND_SERVICE, or ALL, in securityContext.capabilities, found ${unknown}` }
  const boundingSet = boundingSetOf(capabilities)
  // A privileged container has them all, whatever else is said.
  if (privileged || boundingSet === undefined) return {}
  if (powers.canDropCapabilities) return { boundingSet, clearsCapabilities: true }
  if (uid !== undefined && uid !== 0) return { clearsCapabilities: true, noNewPrivileges: true }
  return {
    refused: "cannot drop capabilities of root: this program lacks CAP_SETPCAP itself; run the container as another user (runAsUser)",
  }
}

function needed({ context }: SecurityView, { user }: Credentials): string {
  const field =
    context.allowPrivilegeEscalation === false
      ? "allowPrivilegeEscalation: false"
      : (user?.groups.length ?? 0) > 0
        ? "supplementalGroups and fsGroup"
        : "capabilities.drop"
  return `cannot keep securityContext ${field}: setpriv of util-linux was not found on this host; install it, or remove the field`
}

/** What grants nothing that there is, or means nothing on this system: upstream passes over it likewise. */
function ignoredFields({ context }: SecurityView, { uid }: UserDecision): readonly string[] {
  const { seLinuxOptions, windowsOptions, procMount, privileged, capabilities } = context
  const rows: readonly (readonly [string, boolean])[] = [
    ["seLinuxOptions", seLinuxOptions !== undefined],
    ["windowsOptions", windowsOptions !== undefined],
    ["procMount", procMount === "Default"],
    ["privileged", privileged === true && uid !== 0],
    ["capabilities.add", (capabilities?.add?.length ?? 0) > 0 && uid !== 0],
  ]
  return rows.filter(([, isIgnored]) => isIgnored).map(([field]) => field)
}
