import { testCloud } from "../../embedded/testing/cloud.ts"
import { lbaasContract } from "./lbaas.contract.ts"

lbaasContract("octavia", async () => testCloud())
lbaasContract("lbaasv2", async () => ({ ...testCloud(), loadBalancing: "neutron-lbaas" }))
