import { createHash } from "node:crypto"
import { formatMicroTime, formatTime, parseTime } from "@pilothouse/api"
import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { messageOf } from "@pilothouse/seams"
import { ownedAsCreated, ownedAsUpdated } from "../objects/owned-by-server.ts"
import { stamped } from "../objects/stamped.ts"
import { objectKey } from "../registry/object-key.ts"
import { hostAndPort } from "../request/host-and-port.ts"
import type { Server } from "../server/server.ts"
import type { Advertised } from "./wanted.ts"

/** Upstream's: how often it is renewed, and after how long without that the server counts as gone. */
const renewEvery = 10_000
const leaseSeconds = 3600

export interface IdentityOptions {
  readonly hostname: string
  readonly advertised: Advertised
}

/** The Lease in kube-system by which others see which API servers there are: made or taken over at once, and renewed until it is disposed. */
export function keepIdentity(server: Server, options: IdentityOptions): Disposable {
  const name = apiServerName(options.hostname)
  const holder = `${name}_${server.random.uuid()}`
  let stopped = false
  let timer: Disposable | undefined
  const renew = async (): Promise<void> => {
    // What another has written in between is seen the next time; a full disk may have room by then.
    await write(server, leaseOf(name, holder, options, server.clock.now())).catch((error: unknown) =>
      server.log.debug("the Lease of this API server was not renewed", { error: messageOf(error) }),
    )
    if (!stopped) timer = server.clock.timer(renewEvery, "the Lease of this API server", () => void renew())
  }
  void renew()
  return {
    [Symbol.dispose]() {
      stopped = true
      timer?.[Symbol.dispose]()
    },
  }
}

async function write(server: Server, lease: Lease): Promise<void> {
  const { storage, registry, random, clock, log } = server
  const key = objectKey(registry.of(leases), lease.metadata.namespace, lease.metadata.name ?? "")
  const stored = storage.get(key)
  const back = goneBack(stored?.value as Lease | undefined, clock.now())
  if (back !== undefined) log.warn(back)
  const made = stored?.value.metadata ?? { uid: random.uuid(), creationTimestamp: formatTime(clock.now()) }
  const object = { ...lease, metadata: { ...made, ...lease.metadata } }
  const managedFields = stored === undefined ? ownedAsCreated(server, leases, object) : ownedAsUpdated(server, leases, stored.value, object)
  await storage.commit([{ key, expected: stored?.revision ?? 0, make: (revision) => stamped(object, revision, managedFields) }])
}

/** Clocks are put right by a little all the time. */
const clockLeeway = 60_000

/** What to say where the last renewal is still to come. The next one is of the new time, so it is said once. */
function goneBack(old: Lease | undefined, now: number): string | undefined {
  const last = old?.spec?.renewTime === undefined ? now : parseTime(old.spec.renewTime)
  if (last - now <= clockLeeway) return undefined
  const then = "tokens and certificates that were made since are refused until then; set the clock right"
  return `the clock has gone back: it says ${formatTime(now)}, and this API server was up at ${formatTime(last)} already; ${then}`
}

function leaseOf(name: string, holderIdentity: string, { hostname, advertised }: IdentityOptions, now: number): Lease {
  return {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    metadata: {
      name,
      namespace: "kube-system",
      labels: { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": hostname },
      annotations: { "kubernetes.io/peer-advertise-address": hostAndPort(advertised.address, advertised.port) },
    },
    spec: { holderIdentity, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(now) },
  }
}

const letters = "abcdefghijklmnopqrstuvwxyz234567"

/** Returns the name of the API server of a machine, as its Lease and its metrics have it: the same after every restart, and one that every object may have. */
export function apiServerName(hostname: string): string {
  return `apiserver-${shortHash(hostname)}`
}

function shortHash(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16)
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[Number.parseInt(five.padEnd(5, "0"), 2)]).join("")
}
