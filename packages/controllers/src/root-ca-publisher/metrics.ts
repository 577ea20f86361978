import { StatusError } from "@pilothouse/api"
import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"
import type { Observed } from "./observe.ts"

const subsystem = "root_ca_cert_publisher"

export const rootCaFamilies = {
  total: counterFamily(`${subsystem}_sync_total`, ["code"], "Looks at namespaces, by the code of the answer: 200 when all is well"),
  seconds: histogramFamily(
    `${subsystem}_sync_duration_seconds`,
    ["code"],
    "How long a look at a namespace took",
    exponentialBuckets(0.001, 2, 15),
  ),
}

export function rootCaMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { total, seconds } = createMetrics(metrics, rootCaFamilies)
  return (_key, { error, milliseconds }) => {
    const code = error === undefined ? "200" : String(error instanceof StatusError ? error.statusCode : 500)
    total.add(1, { code })
    seconds.observe(milliseconds / 1000, { code })
  }
}
