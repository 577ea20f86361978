import { nameColumn } from "./column.ts"
import { printer } from "./printer.ts"

/** For kinds that have no columns of their own, such as Role and LimitRange. Upstream gives the moment here, not an age. */
export const defaultPrinter = printer(nameColumn, {
  name: "Created At",
  type: "date",
  cell: ({ metadata }) => metadata.creationTimestamp ?? "",
})
