import type { Filter } from "./filter.ts"
import { forNow } from "./refuse.ts"

const refusal = forNow("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod")

/** A claim that only one pod may use is taken wherever that pod is. */
export const readWriteOncePod: Filter = ({ volumes, nodes }) => {
  const taken = volumes.claims.some(
    ({ key, claim }) => claim.spec?.accessModes?.includes("ReadWriteOncePod") && nodes.placed.usersOf(key) > 0,
  )
  return taken ? () => refusal : undefined
}
