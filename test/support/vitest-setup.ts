import { configureGlobal } from 'fast-check';

// Properties take their random values from the seed of the run. A failing property prints it.
configureGlobal({ seed: Number(process.env['TEST_SEED']) });
