import { type Endpoints, endpoints, type Service } from "@pilothouse/api/core/v1"
import { decodeState, specAnnotation, stateAnnotation } from "@pilothouse/openstack"
import type { Client } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"

/** Written by cloud-provider-openstack, and by our own provider of its kind. */
const providers = "loadbalancer.openstack.org/load-balancer-"

/** `up --openstack` has no other cloud than the one in its process; whose handlers run elsewhere may have any. */
const onlyRecords =
  "the cloud of `up --openstack` keeps only the records of it: it carries no traffic, and nothing answers at these addresses"

/** Returns the paths of a connection where Services are load balancers of an OpenStack. */
export async function openStackWays(client: Client, service: Service, isEmbedded: boolean): Promise<readonly string[]> {
  const { annotations = {} } = service.metadata
  const id = annotations[`${providers}id`]
  const isKuryrs = isEmbedded || annotations[specAnnotation] !== undefined
  if (id !== undefined && !isKuryrs) return found(id, annotations[`${providers}address`], "the node ports", false)
  if (service.spec?.clusterIP === "None")
    return [
      "it is headless: it has no load balancer, and clients are given the addresses of its pods",
      ...(isEmbedded ? [onlyRecords] : []),
    ]
  const state = await stateOf(client, service)
  return state === undefined ? notMade : balancerIn(state, service, isEmbedded)
}

const notMade = ["its OpenStack load balancer is not made yet, or not all of it"]

function balancerIn(state: string, { status }: Service, isEmbedded: boolean): readonly string[] {
  try {
    const { loadbalancer } = decodeState(state)
    if (loadbalancer === null) return notMade
    const outside = status?.loadBalancer?.ingress?.[0]?.ip
    const where = outside === undefined ? loadbalancer.ip : `${loadbalancer.ip}, and at ${outside} from outside`
    return found(loadbalancer.id, where, "its endpoints", isEmbedded)
  } catch (error) {
    return [`it has an OpenStack load balancer, but the annotation ${stateAnnotation} that says which cannot be read: ${messageOf(error)}`]
  }
}

function found(id: string, where: string | undefined, to: string, isEmbedded: boolean): readonly string[] {
  const line = `it is behind the OpenStack load balancer ${id}${where === undefined ? "" : ` at ${where}`}, which sends to ${to}`
  const unknown = `\`openstack loadbalancer status show ${id}\` shows its state (a cloud of \`up --openstack\` keeps only records, and carries no traffic)`
  return [line, isEmbedded ? onlyRecords : unknown]
}

/** It stands on the Endpoints of that name, and on the Service where there are none. */
async function stateOf(client: Client, service: Service): Promise<string | undefined> {
  const { namespace, name, annotations } = service.metadata
  const its: Endpoints | undefined = await client.get(endpoints, `${namespace}/${name}`).catch(() => undefined)
  return its?.metadata.annotations?.[stateAnnotation] || annotations?.[stateAnnotation] || undefined
}
