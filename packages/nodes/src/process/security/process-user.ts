import type { Int64 } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { HostPowers, ProcessUser } from "./credentials.ts"
import type { Refused, SecurityView } from "./effective-context.ts"

/** The user of a process, and the fields that have no effect. */
export interface UserDecision {
  /** Who the process will be; undefined where the system has no user IDs. */
  readonly uid?: number
  /** What has to be set; undefined: it runs as this program does. */
  readonly set?: ProcessUser
}

/** The user and groups of a process, or why they cannot be had. */
export function userOf(view: SecurityView, powers: HostPowers): Refused | UserDecision {
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
