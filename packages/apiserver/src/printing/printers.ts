import type { Descriptor } from "@pilothouse/api"
import { nameColumn } from "./columns/column.ts"
import { type Printer, printer } from "./columns/printer.ts"
import { admissionPrinters } from "./kinds/admission.ts"
import { appsPrinters } from "./kinds/apps.ts"
import { autoscalingPrinters } from "./kinds/autoscaling.ts"
import { batchPrinters } from "./kinds/batch.ts"
import { certificatePrinters } from "./kinds/certificates.ts"
import { clusterPrinters } from "./kinds/cluster.ts"
import { corePrinters } from "./kinds/core.ts"
import { eventPrinter } from "./kinds/event.ts"
import { flowControlPrinters } from "./kinds/flow-control.ts"
import { networkPrinters } from "./kinds/network.ts"
import { nodePrinter } from "./kinds/node.ts"
import { podPrinter } from "./kinds/pod.ts"
import { rbacPrinters } from "./kinds/rbac.ts"
import { resourceClaimPrinters } from "./kinds/resource-claims.ts"
import { servicePrinter } from "./kinds/service.ts"
import { storagePrinters } from "./kinds/storage.ts"

/** For kinds that have no columns of their own, such as Role and LimitRange. Upstream gives the moment here, not an age. */
const defaultPrinter = printer(nameColumn, {
  name: "Created At",
  type: "date",
  cell: ({ metadata }) => metadata.creationTimestamp ?? "",
})

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
