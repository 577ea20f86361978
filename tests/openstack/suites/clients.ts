import { keystoneContract, neutronContract, octaviaContract } from "@pilothouse/openstack/contract"
import { realCloud } from "../real-cloud.ts"

keystoneContract("real", async () => realCloud())
neutronContract("real", async () => realCloud())
octaviaContract("real", async () => realCloud())
