import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Copy, DockerfileParser, type Env, type From } from 'dockerfile-ast';

const run = promisify(execFile);

/** The program that a Dockerfile's last stage starts. Its files are in a folder of this machine. */
export interface MadeImage {
  /** The folder that replaces the root of the image's file system. */
  readonly root: string;
  /** The working directory, below `root`. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage extends MadeImage {
  readonly name: string | null;
}

/** The command of `CMD [...]` or `HEALTHCHECK ... CMD [...]`. */
function commandIn(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf('["'))) as string[];
}

/**
 * Takes the steps of a Dockerfile without Docker. Each stage has an empty folder below `into`. COPY copies files, and
 * RUN runs in the stage's working directory. RUN has this machine's programs, and only the variables of `env` and of
 * the stage's ENV steps. Base images, USER and EXPOSE have no effect. Throws an Error for other steps. Returns the last
 * stage.
 */
export async function takeSteps(
  text: string,
  { context, into, env }: { context: string; into: string; env: Readonly<Record<string, string>> },
): Promise<MadeImage> {
  const stages: Stage[] = [];
  for (const step of DockerfileParser.parse(text).getInstructions()) {
    const keyword = step.getKeyword();
    const content = step.getArgumentsContent() ?? '';
    if (keyword === 'FROM') {
      const root = join(into, String(stages.length));
      await mkdir(root);
      stages.push({ name: (step as From).getBuildStage(), root, folder: root, env: {}, command: [], healthcheck: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${keyword} stands before FROM`);
    const change = await changeBy(keyword, content, stage);
    if (change !== undefined) stages[stages.length - 1] = { ...stage, ...change };
    else if (keyword === 'ENV') Object.assign(stage.env, variablesOf(step as Env));
    else if (keyword === 'RUN') await run('sh', ['-ec', content], { cwd: stage.folder, env: { ...env, ...stage.env } });
    else if (keyword === 'COPY') await copy(step as Copy, stage, stages, context);
    else if (!['USER', 'EXPOSE'].includes(keyword)) throw new Error(`${keyword} is not known here`);
  }
  const last = stages.at(-1);
  if (last === undefined) throw new Error('the Dockerfile has no stage');
  return last;
}

async function changeBy(keyword: string, content: string, { root }: Stage): Promise<Partial<Stage> | undefined> {
  if (keyword === 'CMD') return { command: commandIn(content) };
  if (keyword === 'HEALTHCHECK') return { healthcheck: commandIn(content) };
  if (keyword !== 'WORKDIR') return undefined;
  await mkdir(join(root, content), { recursive: true });
  return { folder: join(root, content) };
}

function variablesOf(step: Env): Record<string, string> {
  return Object.fromEntries(step.getProperties().map(property => [property.getName(), property.getValue() ?? '']));
}

/** Copies files into a folder whose name ends with a slash, or a folder to the path of the target. */
async function copy(step: Copy, { folder }: Stage, stages: readonly Stage[], context: string): Promise<void> {
  const from = step.getFromFlag()?.getValue();
  const origin = from === undefined ? context : stages.find(({ name }) => name === from)?.root;
  if (origin === undefined) throw new Error(`there is no stage ${from}`);
  const paths = step.getArguments().map(argument => argument.getValue());
  const target = paths.pop() ?? '';
  for (const path of paths) {
    const place = target.endsWith('/') ? join(folder, target, basename(path)) : join(folder, target);
    await cp(join(origin, path), place, { recursive: true, verbatimSymlinks: true });
  }
}
