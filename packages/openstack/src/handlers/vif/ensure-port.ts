import { RetryAfterError } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { PodGone } from "../../drivers/nothing-made.ts"
import type { PodPortRequest } from "../../drivers/pod-ports.ts"
import type { PodPort, PodVifDriver } from "../../drivers/pod-vif.ts"
import type { VifPool } from "../../drivers/vif-pool.ts"

/** The port of a pod; undefined where it went meanwhile, and nobody has to be told. One that no pod can ever work with is taken away, so that the next look makes another: its node may be better by then. */
export async function ensurePort(
  { pool, driver }: { readonly pool: Pick<VifPool, "request" | "release" | "isCreating">; readonly driver: PodVifDriver },
  request: PodPortRequest,
  signal: AbortSignal,
): Promise<PodPort | undefined> {
  const port = await pool.request(request, signal).catch((error: unknown) => {
    if (!(error instanceof PodGone)) throw error
  })
  if (port === undefined) return undefined
  const useless = driver.unusableReason?.(port)
  if (useless === undefined) return port
  // It was found before the call that makes it was answered: Neutron binds what it has made only then.
  if (pool.isCreating(request.pod.uid)) throw new RetryAfterError("10s", useless)
  // First in the cloud: a pool would keep it for the next pod.
  await driver.remove([port], signal)
  await pool.release(request.pod, signal)
  throw new PilothouseError("CLOUD", useless)
}
