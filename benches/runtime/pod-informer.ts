import { pods } from "@pilothouse/api/core/v1"
import { createClient, type Informer, Informers } from "@pilothouse/runtime"
import { seededRandom, silentLog, type Transport } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"

/** An informer of pods as a controller gets it, at this transport. */
export function podInformer(transport: Transport): { readonly informer: Informer; readonly run: (signal: AbortSignal) => Promise<void> } {
  const seams = { clock: systemClock, random: seededRandom(1), log: silentLog }
  const informers = new Informers({ ...seams, client: createClient(transport), streams: false })
  return { informer: informers.of(pods) as unknown as Informer, run: (signal) => informers.run(signal) }
}
