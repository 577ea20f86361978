import type { Descriptor } from "@pilothouse/api"
import { admissionPrinters } from "./admission.ts"
import { appsPrinters } from "./apps.ts"
import { autoscalingPrinters } from "./autoscaling.ts"
import { batchPrinters } from "./batch.ts"
import { certificatePrinters } from "./certificates.ts"
import { clusterPrinters } from "./cluster.ts"
import { corePrinters } from "./core.ts"
import { defaultPrinter } from "./default.ts"
import { eventPrinter } from "./event.ts"
import { flowControlPrinters } from "./flow-control.ts"
import { networkPrinters } from "./network.ts"
import { nodePrinter } from "./node.ts"
import { podPrinter } from "./pod.ts"
import type { Printer } from "./printer.ts"
import { rbacPrinters } from "./rbac.ts"
import { resourceClaimPrinters } from "./resource-claims.ts"
import { servicePrinter } from "./service.ts"
import { storagePrinters } from "./storage.ts"

/** How each kind is shown, by "group/Kind". Every entry is only asked for objects of its own kind. */
const printers: Readonly<Record<string, Printer<never>>> = {
  "/Event": eventPrinter,
  "/Node": nodePrinter,
  "/Pod": podPrinter,
  "/Service": servicePrinter,
  "events.k8s.io/Event": eventPrinter,
  ...admissionPrinters,
  ...appsPrinters,
  ...autoscalingPrinters,
  ...batchPrinters,
  ...certificatePrinters,
  ...clusterPrinters,
  ...corePrinters,
  ...flowControlPrinters,
  ...networkPrinters,
  ...rbacPrinters,
  ...resourceClaimPrinters,
  ...storagePrinters,
}

export function printerOf({ group, kind }: Pick<Descriptor, "group" | "kind">): Printer {
  return (printers[`${group}/${kind}`] as Printer | undefined) ?? defaultPrinter
}
