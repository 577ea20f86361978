import { PilothouseError } from "@pilothouse/seams"
import type { PodPort, PodVifDriver } from "../../drivers/pod-vif.ts"
import type { PodWish, VifPool } from "../../drivers/vif-pool.ts"

/** The port of a pod. One that no pod can ever work with is taken away, so that the next look makes another: its node may be better by then. */
export async function ensurePort(
  { pool, driver }: { readonly pool: VifPool; readonly driver: PodVifDriver },
  wish: PodWish,
  signal: AbortSignal,
): Promise<PodPort> {
  const port = await pool.request(wish, signal)
  const useless = driver.whyUseless?.(port)
  if (useless === undefined) return port
  // First in the cloud: a pool would keep it for the next pod.
  await driver.remove([port], signal)
  await pool.release(wish.pod, signal)
  throw new PilothouseError("CLOUD", useless)
}
