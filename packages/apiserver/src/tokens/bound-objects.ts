import { type Descriptor, type KubeObject, parseTime } from "@pilothouse/api"
import { nodes, pods, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import type { Clock } from "@pilothouse/seams"
import { objectKey } from "../registry/object-key.ts"
import type { Registry } from "../registry/registry.ts"
import type { Storage } from "../storage/storage.ts"

/** How far the clocks of two servers may differ, in milliseconds; and how long an object that is being deleted keeps its tokens. */
export const leeway = 60_000

/** An object that a token names. The node of a pod's token has no uid where it does not exist. */
export interface Reference {
  readonly name: string
  readonly uid?: string
}

/** The claim "kubernetes.io": whose a token is, and which objects it lives and dies with. */
export interface Bound {
  readonly namespace: string
  readonly serviceaccount: Reference
  readonly pod?: Reference
  readonly secret?: Reference
  readonly node?: Reference
  /** Seconds since 1970: the end that was requested, of a token that lasts longer. */
  readonly warnafter?: number
}

export interface Around {
  readonly clock: Clock
  readonly storage: Storage
  readonly registry: Registry
}

const invalidated = "service account token has been invalidated"

/** Returns why a token is no longer good because of its objects, in upstream's words; undefined while all of them are there. */
export function boundFault({ namespace, serviceaccount, pod, secret, node }: Bound, around: Around): string | undefined {
  const found = (descriptor: Descriptor, place: string | undefined, what: string, { name, uid = "" }: Reference) => {
    const metadata = metadataOf(around, descriptor, place, name)
    if (metadata === undefined) return invalidated
    if (metadata.uid !== uid) return `${what} UID (${metadata.uid}) does not match service account ${what} ref claim (${uid})`
    return isDeleted(metadata, around) ? invalidated : undefined
  }
  return (
    accountFault(namespace, serviceaccount, around) ??
    (secret && found(secrets, namespace, "secret", secret)) ??
    (pod && found(pods, namespace, "pod", pod)) ??
    // A pod's token also says on which node it is; that one may go before the pod does.
    (node && pod === undefined ? found(nodes, undefined, "node", node) : undefined)
  )
}

function accountFault(namespace: string, { name, uid = "" }: Reference, around: Around): string | undefined {
  const metadata = metadataOf(around, serviceAccounts, namespace, name)
  if (metadata === undefined) return `serviceaccounts "${name}" not found`
  if (metadata.uid !== uid) return `service account UID (${metadata.uid}) does not match claim (${uid})`
  return isDeleted(metadata, around) ? `service account ${namespace}/${name} has been deleted` : undefined
}

type Metadata = KubeObject["metadata"]

function metadataOf(
  { storage, registry }: Around,
  descriptor: Descriptor,
  namespace: string | undefined,
  name: string,
): Metadata | undefined {
  return storage.get(objectKey(registry.of(descriptor), namespace, name))?.value.metadata
}

/** An object that is being deleted still ends its work, for a minute. */
function isDeleted({ deletionTimestamp }: Metadata, { clock }: Around): boolean {
  return deletionTimestamp !== undefined && clock.now() > parseTime(deletionTimestamp) + leeway
}
