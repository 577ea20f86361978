import type { Int64 } from "@pilothouse/api"
import type { AppArmorProfile, Container, Pod } from "@pilothouse/api/core/v1"
import { boundingSetOf, unknownCapability } from "./capabilities.ts"
import { type Credentials, type HostPowers, needsSetpriv, type ProcessUser } from "./credentials.ts"
import { appArmorAnnotation, type Refused, type SecurityView, securityView } from "./effective-context.ts"

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

/** The user of a process, and the fields that have no effect. */
interface UserDecision {
  /** Who the process will be; undefined where the system has no user IDs. */
  readonly uid?: number
  /** What has to be set; undefined: it runs as this program does. */
  readonly set?: ProcessUser
}

/** The user and groups of a process, or why they cannot be had. */
function userOf(view: SecurityView, powers: HostPowers): Refused | UserDecision {
  const [runAsUser, runAsGroup] = [view.context.runAsUser, view.context.runAsGroup].map(idOf)
  const uid = runAsUser ?? powers.uid
  const root = runsAsRoot(view, uid)
  if (root !== undefined) return { refused: root }
  const isStrict = view.pod.spec?.securityContext?.supplementalGroupsPolicy === "Strict"
  const groups = groupsOf(view.pod)
  if ((runAsUser ?? runAsGroup) === undefined && groups.length === 0 && !isStrict) return { uid }
  if (uid === undefined || powers.uid === undefined)
    return { refused: "cannot choose user and groups: this host has no user IDs; remove runAsUser and the like" }
  const wanted = { uid, gid: groupOf(uid, runAsGroup, powers), groups }
  if (powers.canSetUser) return chosen(wanted, isStrict, powers)
  const refused = refusedWithout(wanted, isStrict, powers)
  return refused === undefined ? { uid } : { refused }
}

/** Never the group of root by default, as a runtime has it for users that its image does not know: it is the host's here. */
function groupOf(uid: number, runAsGroup: number | undefined, { uid: ownUser, gid, account }: HostPowers): number {
  const ofProgram = uid === ownUser ? gid : undefined
  return runAsGroup ?? ofProgram ?? account?.(uid)?.gid ?? uid
}

function chosen(wanted: Omit<ProcessUser, "home">, isStrict: boolean, { uid, gid, account }: HostPowers): UserDecision {
  const isOurs = wanted.uid === uid && wanted.gid === gid && wanted.groups.length === 0 && !isStrict
  return isOurs ? { uid } : { uid: wanted.uid, set: { ...wanted, home: account?.(wanted.uid)?.home ?? "/" } }
}

/** In a kubelet's words, which people and programs know. */
function runsAsRoot({ pod, container, context }: SecurityView, uid: number | undefined): string | undefined {
  if (!context.runAsNonRoot) return undefined
  const where = `(pod: ${JSON.stringify(formatPod(pod))}, container: ${container.name})`
  if (uid === undefined) return `container has runAsNonRoot and this system has no user IDs, cannot verify user is non-root ${where}`
  if (uid !== 0) return undefined
  return context.runAsUser === 0
    ? `container's runAsUser breaks non-root policy ${where}`
    : `container has runAsNonRoot and image will run as root ${where}`
}

/** A kubelet's name for a pod: web_default(uid). */
function formatPod({ metadata: { name, namespace, uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`
}

/** The pod's, without doubles. A process has no volumes: fsGroup only makes it a member. */
function groupsOf({ spec }: Pod): readonly number[] {
  const { fsGroup, supplementalGroups = [] } = spec?.securityContext ?? {}
  return [...new Set([...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups].map(Number))]
}

/** The API allows no ID above 2^31 - 1, so none is a bigint. */
function idOf(id: Int64 | undefined): number | undefined {
  return id === undefined ? undefined : Number(id)
}

/** What this program may not do is fine where it is so already. */
function refusedWithout(
  { uid, gid, groups }: Omit<ProcessUser, "home">,
  isStrict: boolean,
  { uid: ownUser, gid: ownGroup, groups: ownGroups = [] }: HostPowers,
): string | undefined {
  const why = `operation not permitted: this program runs as user ${ownUser} and group ${ownGroup}, and only root may choose others`
  const advice = (field: string) => `start it as root, or remove ${field}`
  if (uid !== ownUser) return `cannot run as user ${uid}: ${why}; ${advice("runAsUser")}`
  if (gid !== ownGroup) return `cannot run as group ${gid}: ${why}; ${advice("runAsGroup")}`
  const has = new Set([ownGroup, ...ownGroups])
  const missing = groups.find((group) => !has.has(group))
  if (missing !== undefined) return `cannot join group ${missing}: ${why}; ${advice("supplementalGroups and fsGroup")}`
  const extra = isStrict ? ownGroups.find((group) => group !== gid && !groups.includes(group)) : undefined
  return extra === undefined ? undefined : `cannot leave group ${extra}: ${why}; ${advice("supplementalGroupsPolicy: Strict")}`
}
