import type { Hub } from "../push/hub.ts"
import type { Session } from "../session/session.ts"
import { type Decoded, messageOf } from "../wire/messages.ts"
import { type Kind, kinds, shortNames, typeUrls } from "../xds/kinds.ts"
import type { Resource } from "../xds/resource.ts"

/** Everything that was sent to one client, decoded as it is read; undefined where no such client is connected. */
export function configDump(hub: Hub, proxy: string): unknown {
  const session = [...hub.sessions].find(({ client }) => client.id === proxy)
  if (session === undefined) return undefined
  const told = kinds.map((kind) => {
    return [shortNames[kind], resources(hub, session, kind)] as const
  })
  return { proxy, agent: session.client.agent, ...Object.fromEntries(told) }
}

function* resources(hub: Hub, session: Session, kind: Kind): Iterable<unknown> {
  for (const [name, version] of session.watches[kind].told)
    yield { name, version, resource: decoded(hub.offerTo(session, kind).find(name)) }
}

/** A resource as an object, with what is packed in it unpacked. */
export function decoded(resource: Resource | undefined): unknown {
  return resource && unpacked({ typeUrl: typeUrls[resource.kind], value: resource.value })
}

function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked)
  if (typeof value !== "object" || value === null) return value
  const { typeUrl, value: bytes } = value as { readonly typeUrl?: unknown; readonly value?: unknown }
  if (typeof typeUrl === "string" && bytes instanceof Uint8Array) {
    const inner: Decoded = messageOf(typeUrl)?.decode(bytes) ?? {}
    return { "@type": typeUrl, ...(unpacked(inner) as object) }
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => !(Array.isArray(one) && one.length === 0))
      .map(([key, one]) => [key, unpacked(one)]),
  )
}
